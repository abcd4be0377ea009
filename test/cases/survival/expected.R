# What R's package survival says of examples/survival/: Rscript test/cases/survival/expected.R, in the root of the repository,
# writes the .csv files beside itself. Written by survival 3.5-3 with R 4.2.2.
library(survival)
options(digits = 17)

npy <- function(name, what) {
  file <- file(file.path("examples/survival", paste0(name, ".npy")), "rb")
  on.exit(close(file))
  readBin(file, "raw", 128)  # the header of a small array
  readBin(file, what, 1000, size = 8)
}
time <- npy("time", "double")
event <- npy("event", "integer")
x <- matrix(npy("x", "double"), ncol = 2, byrow = TRUE)

write <- function(table, name) {
  write.csv(format(table, digits = 17, trim = TRUE), file.path("test/cases/survival", name), row.names = FALSE, quote = FALSE)
}

curve <- summary(survfit(Surv(time, event) ~ 1), times = unique(time))
write(data.frame(time = curve$time, survives = curve$surv, standard_error = curve$std.err), "kaplan_meier.csv")

cox <- function(beta, steps) {
  coxph(Surv(time, event) ~ x, ties = "breslow", init = beta, control = coxph.control(iter.max = steps, eps = 1e-12, toler.chol = 1e-14))
}
row <- function(fit) {
  gradient <- colSums(residuals(fit, "score"))
  data.frame(beta_1 = fit$coefficients[[1]], beta_2 = fit$coefficients[[2]], log_likelihood = tail(fit$loglik, 1),
             gradient_1 = gradient[[1]], gradient_2 = gradient[[2]])
}
# At 0, at a beta of our own, and at the maximum of the likelihood.
write(rbind(row(cox(c(0, 0), 0)), row(cox(c(0.5, -0.8), 0)), row(cox(c(0, 0), 30))), "cox.csv")
write(data.frame(residual = residuals(cox(c(0.5, -0.8), 0), "martingale")), "cox_residuals.csv")

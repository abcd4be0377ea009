# A thin door: every target is one line that calls a script. CONTRIBUTING.md says what each does.
.PHONY: run test bench fmt tidy

run:
	@tools/run.sh

test:
	@tools/test.sh

bench:
	@tools/bench.sh

fmt:
	@tools/format.sh

tidy:
	@tools/tidy.sh

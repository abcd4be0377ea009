#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/calibration/calibrate.h"
#include "engine/calibration/rates_file.h"
#include "engine/calibration/sample_call.h"
#include "engine/calibration/samples.h"
#include "engine/explain/rates.h"
#include "engine/session.h"
#include "machine/rate_names.h"

namespace tessera::engine::calibration_test {
namespace {

/// A machine whose rates are all other ones than those built in.
Machine measured_machine() {
  Machine machine = this_machine();
  for (const auto& [name, member] : kernel_rates()) {
    machine.rates.*member *= 1.25;
  }
  machine.shared_bytes_per_second = 4e10;
  machine.rates_measured = "2026-11-25";
  return machine;
}

class RatesFile : public ::testing::Test {
 protected:
  RatesFile() : path_(::testing::TempDir() + "/of_rates/inner/rates.json") {
    write_rates(path_, measured_machine());
  }
  ~RatesFile() override { std::filesystem::remove_all(::testing::TempDir() + "/of_rates"); }

  nlohmann::json document() const {
    std::ifstream file(path_);
    return nlohmann::json::parse(file);
  }
  void write(const std::string& text) const { std::ofstream(path_) << text; }

  /// Why the file is refused; the machine has to stay as it is.
  std::string refusal() const {
    Machine machine = this_machine();
    const std::string reason = read_rates(path_, machine).reason();
    EXPECT_EQ(machine.rates.bytes_per_second, built_in_rates().bytes_per_second);
    EXPECT_EQ(machine.shared_bytes_per_second, this_machine().shared_bytes_per_second);
    EXPECT_EQ(machine.rates_measured, "");
    return reason;
  }

  std::string path_;
};

TEST_F(RatesFile, GivesBackWhatWasWritten) {
  Machine machine = this_machine();
  EXPECT_EQ(rates_text(machine), "built-in rates");
  ASSERT_EQ(read_rates(path_, machine).reason(), "");
  for (const auto& [name, member] : kernel_rates()) {
    EXPECT_EQ(machine.rates.*member, built_in_rates().*member * 1.25) << name;
  }
  EXPECT_EQ(machine.shared_bytes_per_second, 4e10);
  EXPECT_EQ(rates_text(machine), "rates measured on 2026-11-25");
}

TEST_F(RatesFile, IsRefusedWhereItIsNotOne) {
  const std::string good = document().dump();
  for (const std::string& text : {std::string(), std::string("[1]"), good.substr(0, 100)}) {
    write(text);
    EXPECT_EQ(refusal(), "it is damaged") << text;
  }
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal(), "it cannot be opened");
}

TEST_F(RatesFile, IsRefusedWhereARateIsNone) {
  for (const nlohmann::json& rate :
       {nlohmann::json(0), nlohmann::json(-1), nlohmann::json("fast")}) {
    nlohmann::json changed = document();
    changed["rates"]["bytes_per_second"] = rate;
    write(changed.dump());
    EXPECT_EQ(refusal(), "it is damaged") << rate;
  }
  nlohmann::json changed = document();
  changed["rates"].erase("steps_per_second");
  write(changed.dump());
  EXPECT_EQ(refusal(), "it is damaged");
}

TEST_F(RatesFile, IsRefusedWhereItIsOfAnotherMachineOrVersion) {
  nlohmann::json changed = document();
  changed["machine"] = "Another Processor, avx2";
  write(changed.dump());
  EXPECT_NE(refusal().find("it is of another machine (Another Processor, avx2; this is "),
            std::string::npos);
  changed = document();
  changed["version"] = 0;
  write(changed.dump());
  EXPECT_EQ(refusal(), "another version of tessera wrote it");
}

TEST(Calibration, EverySampleIsDecidedByItsRate) {
  const Session session;
  for (const Sample& sample : samples_of(session.machine())) {
    const SampleCall call(sample, session.context());
    KernelRates rates = built_in_rates();
    double& rate = rates.*kernel_rates().at(std::string(sample.rate));
    const double usual = call.predicted(rates).seconds;
    rate *= 2;
    const double other = call.predicted(rates).seconds;
    EXPECT_TRUE(other > 1.4 * usual || other < usual / 1.4) << sample.rate;
  }
}

TEST(Calibration, FindsTheRatesOfAMachineThatTakesWhatTheyPredict) {
  const Session session;
  const std::vector<Sample> samples = samples_of(session.machine());
  KernelRates wanted = built_in_rates();
  double factor = 0.5;
  for (const Sample& sample : samples) {
    wanted.*kernel_rates().at(std::string(sample.rate)) *= factor;
    factor = factor > 2 ? 0.5 : factor * 1.3;
  }
  std::vector<double> seconds;
  for (const Sample& sample : samples) {
    seconds.push_back(SampleCall(sample, session.context()).predicted(wanted).seconds);
  }
  const KernelRates found = rates_that_predict(seconds, session.context());
  for (const Sample& sample : samples) {
    const auto rate = kernel_rates().at(std::string(sample.rate));
    EXPECT_NEAR(found.*rate / wanted.*rate, 1, 0.02) << sample.rate;
  }
}

TEST(Calibration, CoresShareMemory) {
  Machine machine = this_machine();
  machine.rates.bytes_per_second = 3e10;
  machine.rates.steps_per_second = 2e10;
  machine.shared_bytes_per_second = 4e10;
  EXPECT_EQ(rates_beside(machine, 1).bytes_per_second, 3e10);
  EXPECT_EQ(rates_beside(machine, 4).bytes_per_second, 1e10);
  EXPECT_EQ(rates_beside(machine, 4).steps_per_second, 2e10);
  Settings settings;
  settings.workers = 4;
  EXPECT_EQ(Session(settings, machine).machine().rates.bytes_per_second, 1e10);
}

}  // namespace
}  // namespace tessera::engine::calibration_test

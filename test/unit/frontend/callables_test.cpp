#include "frontend/einsum/reference/callables.h"

#include <algorithm>
#include <cctype>

#include <gtest/gtest.h>

#include "unit/frontend/program_fixture.h"

namespace tessera::frontend::callables_test {

namespace {

/// Whether a program of the example and headers for what it reads can be bound.
bool binds(const Callable& callable, const std::string& dtype) {
  const bool is_matrix = callable.example.find("X[i,j]") != std::string::npos;
  const bool is_mask = callable.example.find("X[s,t]") != std::string::npos;
  const bool is_whole = callable.group == "linear algebra" || callable.group == "random draws";
  const std::string modes = is_matrix ? "[i,j]" : is_mask ? "[s,t]" : "[i]";
  const std::string text = "input X" + modes + ", Q[s,d], K[t,d], V[t,e]\n" +
                           (is_whole ? "input A[n,i,j], B[n,i,k], P[n,k]\n" : "") +
                           (callable.example.starts_with("Y") ? "" : "input Y[i]\n") +
                           callable.example;
  const std::string of_x = is_matrix || is_mask ? dtype + "[2,3]" : dtype + "[3]";
  Bindings bindings = data({{"X", of_x}, {"Q", "f32[2,5]"}, {"K", "f32[3,5]"}, {"V", "f32[3,6]"}});
  if (is_whole) {
    bindings.inputs.merge(
        data({{"A", "f32[4,3,3]"}, {"B", "f32[4,3,7]"}, {"P", "f32[4,7]"}}).inputs);
  }
  if (!callable.example.starts_with("Y")) {
    bindings.inputs["Y"] = parse_array_type(dtype + "[3]").value();
  }
  return bind_text(text, bindings).ok();
}

bool gives_a_result(const Callable& callable, DType dtype) {
  return std::none_of(callable.refused.begin(), callable.refused.end(),
                      [&](DType refused) { return refused == dtype; });
}

TEST(Callables, EveryExampleIsAProgram) {
  for (const Callable& callable : all_callables(test_vocabulary())) {
    const bool takes_floats = gives_a_result(callable, DType::f64);
    EXPECT_TRUE(binds(callable, takes_floats ? "f64" : "i64")) << callable.example;
  }
}

TEST(Callables, WhatIsRefusedIsRefused) {
  for (const Callable& callable : all_callables(test_vocabulary())) {
    if (callable.kind == Callable::Kind::aggregate) {
      EXPECT_EQ(binds(callable, "c64"), gives_a_result(callable, DType::c64)) << callable.name;
    }
  }
}

TEST(Callables, AnOperatorIsItsFunction) {
  for (const Callable& callable : all_callables(test_vocabulary())) {
    if (callable.operation.empty()) {
      continue;
    }
    const std::string header = "input x[i], y[i]\n";
    const Bindings inputs = data({{"x", "f64[3]"}, {"y", "f64[3]"}});
    const auto body_of = [&](std::string text) {
      for (const char name : {'x', 'y'}) {
        for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
          const bool is_alone = (at == 0 || !std::isalpha(text[at - 1])) &&
                                (at + 1 == text.size() || !std::isalpha(text[at + 1]));
          text.insert(at + 1, is_alone ? "[i]" : "");
        }
      }
      return bound(header + "T[i] = " + text, inputs);
    };
    EXPECT_EQ(body_of(callable.operation), body_of(callable.call));
    EXPECT_NE(body_of(callable.call).find("T: "), std::string::npos) << callable.call;
  }
}

TEST(Callables, AllRegisteredAreListedOnce) {
  const std::vector<Callable> all = all_callables(test_vocabulary());
  const auto number_of = [&](Callable::Kind kind, const std::string& name) {
    return std::count_if(all.begin(), all.end(), [&](const Callable& callable) {
      return callable.kind == kind && callable.name == name;
    });
  };
  for (const std::string& name : test_vocabulary().functions.names()) {
    const bool is_written =
        test_vocabulary().functions.find(name)->group != expr::FunctionGroup::unwritten;
    EXPECT_EQ(number_of(Callable::Kind::function, name), is_written ? 1 : 0) << name;
  }
  for (const std::string& name : test_vocabulary().aggregates.names()) {
    EXPECT_EQ(number_of(Callable::Kind::aggregate, name), 1) << name;
  }
  EXPECT_EQ(number_of(Callable::Kind::macro, "attention"), 1);
  EXPECT_EQ(number_of(Callable::Kind::language, "index"), 1);
}

TEST(Callables, NamesOfOtherLibrariesLeadToOurs) {
  const auto said_of = [](const std::string& name) -> std::string {
    try {
      callables_named(name, test_vocabulary());
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_EQ(said_of("linalg.norm"),
            "there is no function, macro or aggregate linalg.norm; write norm[j](x)");
  EXPECT_EQ(said_of("scaled_dot_product_attention"),
            "there is no function, macro or aggregate scaled_dot_product_attention; write "
            "attention[t,d](query, key, value, mask, scale)");
  EXPECT_EQ(said_of("float32"), "there is no function, macro or aggregate float32; write f32(x)");
  EXPECT_EQ(said_of("mod"), "there is no function, macro or aggregate mod; write a % b");
  EXPECT_EQ(said_of("sigmoyd"),
            "there is no function, macro or aggregate sigmoyd; did you mean 'sigmoid'?");
  EXPECT_EQ(said_of("zzz"), "there is no function, macro or aggregate zzz");
  EXPECT_EQ(said_of("exp"), "");
}

TEST(Callables, AggregatesSayWhatTheyGiveOfNothing) {
  const auto of_nothing = [](const std::string& name) {
    return callables_named(name, test_vocabulary()).front().of_nothing;
  };
  EXPECT_EQ(of_nothing("sum"), "0");
  EXPECT_EQ(of_nothing("prod"), "1");
  EXPECT_EQ(of_nothing("all"), "true");
  EXPECT_EQ(of_nothing("any"), "false");
  EXPECT_EQ(of_nothing("mean"), "nan");
  EXPECT_EQ(of_nothing("logsumexp"), "-inf");
  EXPECT_EQ(of_nothing("max"), "an error");
}

}  // namespace

}  // namespace tessera::frontend::callables_test

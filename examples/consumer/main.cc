#include <updraft/updraft.h>

#include <iostream>

int main() {
  updraft::Knowledge knowledge(2, 4);  // two offers, four customers
  knowledge.set_affected(
      {updraft::VariableSet::from_ids({0, 1}), updraft::VariableSet::from_ids({2, 3})});
  const auto policy = updraft::make_policy("up_ts", knowledge);
  const updraft::Stream stream(1, 0, updraft::Purpose::kPolicy);
  for (int day = 0; day < 100; ++day) {
    const updraft::ActionId offer = policy->select(stream);
    const std::vector<double> purchases = {1.0, 2.0, offer == 1 ? 3.5 : 3.0, 4.0};
    policy->observe(offer, updraft::Payoffs::dense(purchases));
  }
  std::cout << "offer 1 on " << policy->pulls(1) << " of 100 days\n";
}

// The field of std_msgs/Float64MultiArray that docs/howto/ros2.md writes.
#pragma once
#include <vector>

namespace std_msgs::msg {
struct Float64MultiArray {
    std::vector<double> data;
};
} // namespace std_msgs::msg

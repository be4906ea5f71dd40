// The fields of sensor_msgs/JointState that docs/howto/ros2.md reads.
#pragma once
#include <string>
#include <vector>

namespace sensor_msgs::msg {
struct JointState {
    std::vector<std::string> name;
    std::vector<double> position, velocity, effort;
};
} // namespace sensor_msgs::msg

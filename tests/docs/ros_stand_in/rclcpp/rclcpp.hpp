// What docs/howto/ros2.md and exported nodes use of ROS 2's client library, declared so that they can be parsed without ROS.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rcl_interfaces/msg/set_parameters_result.hpp"

namespace rclcpp {
template <class Message> struct Publisher {
    using SharedPtr = std::shared_ptr<Publisher>;
    void publish(const Message &);
};
template <class Message> struct Subscription {
    using SharedPtr = std::shared_ptr<Subscription>;
};
struct QoS {
    QoS &keep_last(std::size_t);
};
struct SensorDataQoS : QoS {};
struct Parameter {
    const std::string &get_name() const;
    double as_double() const;
};
namespace node_interfaces {
struct OnSetParametersCallbackHandle {
    using SharedPtr = std::shared_ptr<OnSetParametersCallbackHandle>;
};
} // namespace node_interfaces
struct TimerBase {
    using SharedPtr = std::shared_ptr<TimerBase>;
};
class Node {
public:
    explicit Node(const std::string &name);
    template <class Message> std::shared_ptr<Publisher<Message>> create_publisher(const std::string &, std::size_t);
    template <class Message, class Callback>
    std::shared_ptr<Subscription<Message>> create_subscription(const std::string &, const QoS &, Callback &&callback) {
        std::function<void(const Message &)> called = callback;
        return nullptr;
    }
    template <class Period, class Callback> TimerBase::SharedPtr create_wall_timer(Period, Callback &&callback) {
        std::function<void()> called = callback;
        return nullptr;
    }
    template <class Value> Value declare_parameter(const std::string &, const Value &);
    template <class Callback>
    node_interfaces::OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(Callback &&callback) {
        std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter> &)> called = callback;
        return nullptr;
    }
};
void init(int, char **);
void spin(std::shared_ptr<Node>);
void shutdown();
} // namespace rclcpp

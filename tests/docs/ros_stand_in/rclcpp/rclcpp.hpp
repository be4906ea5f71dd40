// What docs/howto/ros2.md and exported nodes use of ROS 2's client library, without ROS: callbacks are kept by topics,
// and what is published or said is printed.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rcl_interfaces/msg/set_parameters_result.hpp"

enum rcl_clock_type_t { RCL_ROS_TIME = 1 };
#define RCLCPP_INFO(logger, ...) ((void)(logger), std::printf("said: " __VA_ARGS__), std::printf("\n"))
#define RCLCPP_WARN(logger, ...) RCLCPP_INFO(logger, __VA_ARGS__)

namespace stand_in {
inline std::map<std::string, std::function<void(const void *)>> topics;
inline std::map<std::string, double> parameters;
inline std::function<void()> timer;
inline double clock = 0.0;
template <class Message> void send(const std::string &topic, const Message &message) { topics.at(topic)(&message); }
} // namespace stand_in

namespace rclcpp {
template <class Message> struct Publisher {
    using SharedPtr = std::shared_ptr<Publisher>;
    std::string topic;
    void publish(const Message &message) {
        std::printf("%s", topic.c_str());
        for (double x : message.data) std::printf(" %.17g", x);
        std::printf("\n");
    }
};
template <class Message> struct Subscription {
    using SharedPtr = std::shared_ptr<Subscription>;
};
struct QoS {
    QoS &keep_last(std::size_t) { return *this; }
};
struct SensorDataQoS : QoS {};
struct Logger {};
struct Duration {
    double span;
    double seconds() const { return span; }
};
struct Time {
    double at;
    Time(std::int32_t seconds, std::uint32_t, rcl_clock_type_t) : at(seconds) {}
    Duration operator-(const Time &other) const { return {at - other.at}; }
};
struct Parameter {
    std::string name;
    double value;
    const std::string &get_name() const { return name; }
    double as_double() const { return value; }
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
    explicit Node(const std::string &) {}
    Logger get_logger() const { return {}; }
    Time now() const {
        Time time(0, 0, RCL_ROS_TIME);
        time.at = stand_in::clock;
        return time;
    }
    template <class Message>
    std::shared_ptr<Publisher<Message>> create_publisher(const std::string &topic, std::size_t) {
        return std::make_shared<Publisher<Message>>(Publisher<Message>{topic});
    }
    template <class Message, class Callback>
    std::shared_ptr<Subscription<Message>> create_subscription(const std::string &topic, const QoS &, Callback &&callback) {
        std::function<void(const Message &)> called = callback;
        stand_in::topics[topic] = [called](const void *message) { called(*static_cast<const Message *>(message)); };
        return nullptr;
    }
    template <class Period, class Callback> TimerBase::SharedPtr create_wall_timer(Period, Callback &&callback) {
        stand_in::timer = callback;
        return std::make_shared<TimerBase>();
    }
    template <class Value> Value declare_parameter(const std::string &name, const Value &value) {
        const auto found = stand_in::parameters.find(name);
        return found == stand_in::parameters.end() ? value : found->second;
    }
    template <class Callback>
    node_interfaces::OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(Callback &&callback) {
        std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter> &)> called = callback;
        return nullptr;
    }
};
inline void init(int, char **) {}
inline void spin(std::shared_ptr<Node>) {}
inline void shutdown() {}
} // namespace rclcpp

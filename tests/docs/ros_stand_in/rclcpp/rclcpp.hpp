// What docs/howto/ros2.md uses of ROS 2's client library, declared so that its node can be parsed without ROS.
#pragma once
#include <functional>
#include <memory>
#include <string>

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
class Node {
public:
    explicit Node(const std::string &name);
    template <class Message> std::shared_ptr<Publisher<Message>> create_publisher(const std::string &, std::size_t);
    template <class Message, class Callback>
    std::shared_ptr<Subscription<Message>> create_subscription(const std::string &, const QoS &, Callback &&callback) {
        std::function<void(const Message &)> called = callback;
        return nullptr;
    }
};
void init(int, char **);
void spin(std::shared_ptr<Node>);
void shutdown();
} // namespace rclcpp

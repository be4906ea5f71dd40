"""The node: a thin shell of ROS 2 around the core."""

from __future__ import annotations

from screwgraph.compiler.backends.base import Library

NODE = """// {name}: made by screwgraph. A node that publishes the functions of the model; the core computes.
//
// q and qd come from the topic joint_states, where each joint has one position and one velocity; every other argument
// comes from the topic ~/NAME, and so do q and qd of other robots, q first. What has a value in a file need not come.
// Results go to ~/FUNCTION, or ~/FUNCTION/RESULT where there are several, as often as joint_states or qd come (without
// these q, or any argument), or, where the parameter timer_rate (Hz) is positive, as often as it says. The node says
// once what it waits for, and what is wrong with messages. Live parameters are parameters of the node.
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rcl_interfaces/msg/set_parameters_result.hpp"
#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/joint_state.hpp"
#include "std_msgs/msg/float64_multi_array.hpp"
#include "{name}_core.hpp"

class {name}_node : public rclcpp::Node {{
public:
    {name}_node() : Node("{name}") {{
        const auto latest = rclcpp::SensorDataQoS().keep_last(1);
        const bool of_joints = !{name}::Core::joints().empty();
        for (const std::string &result : {{{topics}}})
            results_[result] = create_publisher<Numbers>("~/" + result, 1);
        for (const std::string &argument : {name}::Core::arguments()) {{
            if (of_joints && (argument == "q" || argument == "qd")) continue;
            const std::string last = {name}::Core::last();
            const bool answers = !of_joints && (last.empty() || last == argument);
            const auto take = [this, argument, answers](const Numbers &numbers) {{
                const std::size_t size = {name}::Core::size(argument);
                if (!core_.set(argument, numbers.data))
                    warn("~/" + argument + " takes " + std::to_string(size) + " finite numbers");
                else if (answers && !timer_)
                    answer();
            }};
            inputs_.push_back(create_subscription<Numbers>("~/" + argument, latest, take));
        }}
        if (of_joints)
            states_ = create_subscription<sensor_msgs::msg::JointState>(
                "joint_states", latest, [this](const sensor_msgs::msg::JointState &state) {{
                    if (!core_.set_joints(state.name, state.position, state.velocity))
                        warn({name}::Core::find_fault(state.name, state.position, state.velocity));
                    else if (!timer_)
                        answer();
                }});
        for (const std::string &parameter : {name}::Core::parameters())
            core_.set_parameter(parameter, declare_parameter<double>(parameter, core_.parameter(parameter)));
        const double rate = declare_parameter<double>("timer_rate", 0.0);
        if (rate > 0.0) timer_ = create_wall_timer(std::chrono::duration<double>(1.0 / rate), [this]() {{ answer(); }});
        changed_ = add_on_set_parameters_callback([this](const std::vector<rclcpp::Parameter> &parameters) {{
            rcl_interfaces::msg::SetParametersResult result;
            result.successful = true;
            for (const rclcpp::Parameter &parameter : parameters)
                if (is_own(parameter.get_name()) && !core_.set_parameter(parameter.get_name(), parameter.as_double()))
                    result.successful = false;
            return result;
        }});
        last_ = now();
        say_what_is_missing();
    }}

private:
    using Numbers = std_msgs::msg::Float64MultiArray;

    static bool is_own(const std::string &name) {{
        for (const std::string &own : {name}::Core::parameters())
            if (own == name) return true;
        return false;
    }}

    void answer() {{
        const rclcpp::Time time = now();
        const double elapsed = (time - last_).seconds();
        last_ = time;
        core_.evaluate(
            [this](const std::string &result, const std::vector<double> &values) {{
                Numbers numbers;
                numbers.data = values;
                results_.at(result)->publish(numbers);
            }},
            elapsed);
        say_what_is_missing();
    }}

    void warn(const std::string &text) {{
        if (said_.insert(text).second) RCLCPP_WARN(get_logger(), "left out: %s", text.c_str());
    }}

    void say_what_is_missing() {{
        std::set<std::string> topics;
        for (const std::string &argument : core_.missing()) {{
            const bool moves = argument == "q" || argument == "qd";
            topics.insert(moves && !{name}::Core::joints().empty() ? "joint_states" : "~/" + argument);
        }}
        if (topics.empty()) return;
        std::string text;
        for (const std::string &topic : topics) text += " " + topic;
        if (said_.insert(text).second) RCLCPP_INFO(get_logger(), "waits for%s", text.c_str());
    }}

    {name}::Core core_;
    std::set<std::string> said_;
    rclcpp::Time last_{{0, 0, RCL_ROS_TIME}};
    std::map<std::string, rclcpp::Publisher<Numbers>::SharedPtr> results_;
    std::vector<rclcpp::Subscription<Numbers>::SharedPtr> inputs_;
    rclcpp::Subscription<sensor_msgs::msg::JointState>::SharedPtr states_;
    rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr changed_;
    rclcpp::TimerBase::SharedPtr timer_;
}};

int main(int argc, char **argv) {{
    rclcpp::init(argc, argv);
    rclcpp::spin(std::make_shared<{name}_node>());
    rclcpp::shutdown();
    return 0;
}}
"""


def emit_node_source(library: Library, topics: list[str]) -> str:
    """Return the source of the node."""
    return NODE.format(name=library.name, topics=", ".join(f'std::string("{topic}")' for topic in topics))

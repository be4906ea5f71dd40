// The field of rcl_interfaces/SetParametersResult that exported nodes write.
#pragma once

namespace rcl_interfaces::msg {
struct SetParametersResult {
    bool successful;
};
} // namespace rcl_interfaces::msg

/* The faults that can be planted: -DFAULT=name. */

enum {
    clean, accepts_any_guid, refuses_its_guid, silent_about_guid, wrong_version, wrong_platform, crash_in_step, hang_in_step,
    crash_in_terminate, free_null_crashes, reset_forgets_parameter, reset_forgets_state, reset_dead_after_error, state_forgets_count,
    state_restore_fails, serialize_short, serialized_pointer, free_state_keeps_pointer, derivative_wrong, derivative_sign_of_input,
    hidden_dependency, shared_instances, thread_unsafe, wrong_reference_ok, wrong_reference_crashes, constant_settable, nan_hangs,
    nan_crashes, leaks, leaks_by_malloc, event_info_untouched, event_info_untouched_on_error, indicator_zero, indicator_tiny, event_lost_at_zero,
    sampled_early, output_jumps, chatter, drift_events, me_differs, ignores_tolerance_in_step, divides_by_zero, exact_start_changed,
    start_not_in_c, input_start_ignored, error_without_message, unknown_category, logs_when_off, ignores_categories, rounding_changed, locale_changed,
    prints, writes_file, steps_past_stop, endless_work, ignores_start_time, nominal_zero, states_changed_wrongly, state_changed_unsaid,
    keeps_callbacks_struct, keeps_strings, needs_stepfinished, uri_not_decoded, variable_step_refused, output_derivative_refused,
    status_wrong, get_is_stateful, order_of_gets, nan_output, outside_range, discrete_changes_between_events, forgets_setting, tunable_refused,
    null_vector_crashes, legal_call_refused, illegal_call_crashes, state_order_wrong, float_trap_left_on, cache_stale, not_deterministic, fatal_at_nan,
    discard_without_reason, derivatives_disagree, event_time_in_past, completed_step_untouched, needs_stop_time, string_not_copied,
    derivative_beside_kink, derivatives_discarded, short_sighted, input_slope_refused, input_slope_ignored, input_slope_negative,
    output_derivative_zero, output_derivative_double, seeds_ignored, first_known_alone, derivative_stale, state_forgets_late, get_many_ignored,
    completed_step_asks, completed_step_moves, environment_lost, instance_name_lost, last_time_wrong, leaks_by_step, leaks_by_step_allocated,
    fatal_in_step, exact_set_lost, step_of_host, input_refused_at_event, state_saved_once, deserialized_without_count, foreign_state_taken,
    states_rounded, events_endless, derivative_refused_in_steps, events_unlogged, null_values_crash, null_instance_crashes, backward_steps_taken,
    /* of FMI 3.0 alone */
    logs_when_silent, needs_resources, no_event_mode_at_start, event_unasked, early_unasked, early_time_wrong, event_stuck, event_mode_differs,
    step_answers_untouched, count_wrong, adjoint_wrong, adjoint_wrong_in_steps, array_transposed, array_not_set, update_not_called, update_time_wrong,
    update_get_wrong, update_get_refused, update_set_refused, update_never_early, illegal_taken, update_end_wrong, update_disturbs, update_demanded, element_depends_more
};
#ifndef FAULT
#define FAULT clean
#endif
#ifndef GUID
#define GUID "{8c4e810f-3df3-4a00-8276-176fa3c9f001}"
#endif
#define IS(fault) (FAULT == fault)

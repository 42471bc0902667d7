/* Co-simulation. */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], const fmi2Real in[]) {
    Instance *m = c;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != U || order[i] != 1 || IS(input_slope_refused)) return refuse(m, "fmi2SetRealInputDerivatives: not that one");
        m->now.slope = IS(input_slope_ignored) ? 0.0 : IS(input_slope_negative) ? -in[i] : in[i];
        m->now.sloped_from = m->now.real[TIME];
    }
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], fmi2Real out[]) {
    Instance *m = c;
    double dx[2];
    rates(&m->now, dx);
    if (IS(output_derivative_refused)) return refuse(m, "fmi2GetRealOutputDerivatives");
    for (size_t i = 0; i < n; i++) {
        if (order[i] != 1) return refuse(m, "fmi2GetRealOutputDerivatives: order is not 1");
        out[i] = vr[i] == X || vr[i] == Y ? dx[0] : vr[i] == V ? dx[1] : 0.0;
        if (IS(output_derivative_zero)) out[i] = 0.0;
        if (IS(output_derivative_double)) out[i] *= 2.0;
    }
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean keep) {
    Instance *m = c;
    (void)keep;
    if (!allowed(m, stepping, "fmi2DoStep")) return fmi2Error;
    if (IS(backward_steps_taken) && h <= 0) return fmi2OK;
    if (!(h > 0) || fabs(t - m->now.real[TIME]) > 1e-9 * fmax(1.0, fabs(t))) return refuse(m, "fmi2DoStep: not where I am");
    if (m->now.stop_defined && t + h > m->now.stop * (1 + 1e-12) + 1e-9 && !IS(steps_past_stop)) return refuse(m, "fmi2DoStep: past the stop time");
    if (IS(crash_in_step)) *(volatile int *)8 = 1;
    if (IS(fatal_in_step)) { say(m, fmi2Fatal, "logStatusError", "lost"); return fmi2Fatal; }
    if (IS(hang_in_step)) for (volatile int i = 0;; i++) {}
    if (IS(variable_step_refused)) { static double usual; if (usual && fabs(h - usual) > 1e-9) return refuse(m, "fmi2DoStep: another step"); usual = h; }
    if (h > 1e4 && !IS(endless_work)) return refuse(m, "fmi2DoStep: too long a step");
    if (IS(thread_unsafe)) { /* works in a place that all instances share */
        static Values here;
        here = m->now;
        usleep(200);
        advance(&here, t + h);
        m->now = here;
    } else
        advance(&m->now, t + h);
    m->now.slope = 0.0; /* given for one step */
    if (IS(leaks_by_step)) memset(malloc(5000), 1, 5000);
    if (IS(leaks_by_step_allocated)) m->call.allocateMemory(1, 16);
    global_x = m->now.real[X];
    return fmi2OK;
}

#ifndef WITHOUT_CANCEL
fmi2Status fmi2CancelStep(fmi2Component c) { return refuse(c, "fmi2CancelStep: nothing to cancel"); }
#endif

#define STATUS(name, type) \
    fmi2Status name(fmi2Component c, const fmi2StatusKind kind, type *out) { \
        (void)kind, (void)out; \
        say(c, fmi2Discard, "logStatusError", #name ": not known"); \
        return IS(status_wrong) ? fmi2Fatal : fmi2Discard; \
    }
STATUS(fmi2GetStatus, fmi2Status)
STATUS(fmi2GetIntegerStatus, fmi2Integer)
STATUS(fmi2GetBooleanStatus, fmi2Boolean)
STATUS(fmi2GetStringStatus, fmi2String)

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *out) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *out = IS(last_time_wrong) ? 0.0 : ((Instance *)c)->now.real[TIME];
    return fmi2OK;
}

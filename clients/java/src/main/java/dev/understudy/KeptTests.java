package dev.understudy;

/** The tests whose environments are kept, as {@code UNDERSTUDY_KEEP} says. */
final class KeptTests {
    private static final int NOT_FOUND = 404;
    private static final String HINT = "to keep it for the dashboard: UNDERSTUDY_KEEP=failed";
    private static final String NO_SERVICE =
            ", and in UNDERSTUDY_URL the address of a service that runs longer than the tests";

    private final String kept;
    private final boolean isJoined;

    /**
     * {@code kept}: {@code failed}, {@code all} or an empty text. {@code isJoined}: the service was not started here, so
     * that it runs longer than the tests.
     */
    KeptTests(String kept, boolean isJoined) {
        this.kept = kept;
        this.isJoined = isJoined;
    }

    /** Keeps the environment of a test that has passed if that is wanted, unless another test has failed in it. */
    void passed(UnderstudyEnvironment environment, String test) {
        if (kept.equals("all") && !environment.isKept()) keep(environment, test, Outcome.PASSED);
    }

    /** Keeps the environment of a failed test if that is wanted. Returns where its calls are, or how to keep them. */
    String failed(UnderstudyEnvironment environment, String test) {
        try {
            if (!kept.isEmpty()) keep(environment, test, Outcome.FAILED);
        } catch (UnderstudyException error) {
            return "the environment cannot be kept: " + error.getMessage();
        }
        if (!isJoined) return HINT + NO_SERVICE;
        if (!environment.isKept()) return HINT;
        return "kept: " + environment.httpUrl() + "/_control/#/" + environment.name() + "/requests";
    }

    private static void keep(UnderstudyEnvironment environment, String test, Outcome outcome) {
        try {
            environment.keep(test, outcome);
        } catch (ControlException refused) {
            // Otherwise the test itself has dropped it.
            if (refused.status() != NOT_FOUND) throw refused;
        }
    }
}

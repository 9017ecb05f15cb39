package dev.understudy;

/** The tests whose environments are kept, as {@code UNDERSTUDY_KEEP} says. */
final class KeptTests {
    private static final int NOT_FOUND = 404;

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

    /** Keeps the environment of a failed test if that is wanted. Returns where its calls are, or a command that says more. */
    String failed(UnderstudyEnvironment environment, String test) {
        try {
            if (!kept.isEmpty()) keep(environment, test, Outcome.FAILED);
        } catch (UnderstudyException error) {
            return "the environment cannot be kept: " + error.getMessage();
        }
        if (!isJoined || !environment.isKept())
            return "for more: npx understudy-server explain --environment " + environment.name();
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

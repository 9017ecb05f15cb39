package dev.understudy;

/** How a test has ended. */
public enum Outcome {
    /** The test has failed. */
    FAILED,
    /** The test has passed. */
    PASSED
}

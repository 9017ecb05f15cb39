package dev.understudy;

/** Understudy could not be started, or it ended with an error. */
public final class StartException extends UnderstudyException {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
        super(message);
    }

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}

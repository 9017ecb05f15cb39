package dev.understudy;

/** No Understudy answers: nothing listens there, the call took too long, or the connection broke. */
public final class NotReachableException extends UnderstudyException {
    private static final long serialVersionUID = 1L;

    NotReachableException(String message) {
        super(message);
    }

    NotReachableException(String message, Throwable cause) {
        super(message, cause);
    }
}

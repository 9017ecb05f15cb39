package dev.understudy;

/** Every exception of this package. */
public class UnderstudyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnderstudyException(String message) {
        super(message);
    }

    UnderstudyException(String message, Throwable cause) {
        super(message, cause);
    }
}

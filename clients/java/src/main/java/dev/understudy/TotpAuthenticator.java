package dev.understudy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** An authenticator app and the code that it shows. */
public final class TotpAuthenticator {
    private final JsonNode json;

    TotpAuthenticator(JsonNode json) {
        this.json = json;
    }

    /** The id of the registration. */
    public String registrationId() {
        return json.path("registration_id").asText();
    }

    /** {@code PENDING}, {@code ENABLED} or {@code DISABLED}. */
    public String status() {
        return json.path("status").asText();
    }

    /** In base32. */
    public String secret() {
        return json.path("secret").asText();
    }

    /** The address {@code otpauth://…} in the QR code. */
    public String qrCodeUri() {
        return json.path("qr_code_uri").asText();
    }

    /** The ones that are not used yet. */
    public List<String> backupCodes() {
        return Json.list(json.path("backup_codes"), JsonNode::asText);
    }

    /** The code that the app shows. */
    public String code() {
        return json.path("code").asText();
    }

    /** Everything that the control API says of it. */
    public JsonNode json() {
        return json;
    }
}

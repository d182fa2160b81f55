import type { SameShape } from "../same-shape.ts";
import type { errors as pt } from "../pt/errors.ts";

export const errors: SameShape<typeof pt> = {
  unknown: "An error occurred!",
  ERR_NETWORK: "The server did not answer. Check your connection and try again.",
  ERR_TIMEOUT: "The server took too long to answer. Try again.",

  ERR_INVALID_REQUEST: "The data sent is not valid.",
  ERR_BODY_TOO_LARGE: "The content is too large.",
  ERR_UNSUPPORTED_MEDIA_TYPE: "This type of file is not accepted.",
  ERR_TOO_MANY_REQUESTS: "Too many attempts. Wait a little and try again.",
  ERR_ROUTE_NOT_FOUND: "This function does not exist in this version of the system.",
  ERR_UNAVAILABLE: "The system is unavailable right now. Try again in a moment.",
  ERR_INTERNAL: "Internal error. Try again; if it goes on, tell support.",

  ERR_INVALID_CREDENTIALS: "Wrong e-mail or password.",
  ERR_SESSION_EXPIRED: "Your session has ended. Sign in again.",
  ERR_TOKEN_EXPIRED: "Your session has to be renewed. Try again.",
  ERR_SUBSCRIPTION_EXPIRED:
    "Oops! Your subscription expired on {{date}}. Contact Support for more information!",
  ERR_COMPANY_DISABLED: "This company is disabled. Contact Support.",
  ERR_NO_PERMISSION: "You do not have permission to do this.",
  ERR_TICKET_FORBIDDEN: "Access not allowed",
  ERR_OTHER_COMPANY: "You do not have permission to access this resource!",

  ERR_NO_COMPANY_FOUND: "Company not found.",
  ERR_NO_SETTING_FOUND: "Setting not found.",
  ERR_NO_CONTACT_FOUND: "Contact not found.",
  ERR_NO_TICKET_FOUND: "Ticket not found.",
  ERR_NO_USER_FOUND: "User not found.",
  ERR_NO_WAPP_FOUND: "Connection not found.",
  ERR_NO_MESSAGE_FOUND: "Message not found.",
  ERR_NO_TAG_FOUND: "Tag not found.",
  ERR_QUEUE_NOT_FOUND: "Queue not found.",

  ERR_OTHER_OPEN_TICKET: "There is already an open ticket for this contact.",
  ERR_TICKET_TRANSITION: "The ticket has changed meanwhile. Look at how it stands now.",
  ERR_MESSAGE_EMPTY: "Write the message before sending.",
  ERR_MESSAGE_NOT_FAILED: "This message is no longer marked as failed.",
  ERR_FETCH_WAPP_MSG: "Message not found; it may be too old.",
  ERR_WAPP_NOT_INITIALIZED: "The connection has not been started. Check the connections page.",
  ERR_NO_DEF_WAPP_FOUND: "No default connection found. Check the connections page.",
  ERR_WAPP_INVALID_CONTACT: "This number is not valid in the chat app.",
  ERR_SENDING_WAPP_MSG: "The message could not be sent. Check the connection.",
  ERR_SIMULATOR_CODE: "This QR code is no longer valid. Scan the one on the screen now.",
  ERR_SIMULATOR_NOT_LINKED: "This connection is not linked.",
};

// The OpenAI Responses wire.
import type { Wire } from "../wire.ts";
import { toFailureResponse } from "./failure.ts";
import { startMessage } from "./message.ts";
import { readRequest } from "./request.ts";

export const openaiResponses: Wire = { readRequest, message: startMessage, failure: toFailureResponse };

// Sets the speed field in each model request of a turn that does not run at the standard speed.
import type { Model, ProviderStreams, SimpleStreamOptions } from "@earendil-works/pi-ai";

/** The name of the field in each provider API. */
const speedFields: Record<string, string> = { "anthropic-messages": "speed", "openai-responses": "service_tier" };

/** Wraps the streams. `speed` is read at each request; null leaves the request unchanged. */
export function atSpeed(streams: ProviderStreams, speed: () => string | null): ProviderStreams {
  function withSpeed<Options extends Pick<SimpleStreamOptions, "onPayload">>(options: Options | undefined) {
    return {
      ...options,
      onPayload: async (payload: unknown, model: Model<string>) => {
        const sent = (await options?.onPayload?.(payload, model)) ?? payload;
        const field = speedFields[model.api];
        const wanted = speed();
        return field === undefined || wanted === null ? sent : { ...(sent as object), [field]: wanted };
      },
    };
  }
  return {
    stream: (model, context, options) => streams.stream(model, context, withSpeed(options)),
    streamSimple: (model, context, options) => streams.streamSimple(model, context, withSpeed(options)),
  };
}

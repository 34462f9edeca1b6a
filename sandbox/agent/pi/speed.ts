// The speed of a model where it is a field of the request: put into every request of a turn that runs at another speed than the standard one.
import type { Model, ProviderStreams, SimpleStreamOptions } from "@earendil-works/pi-ai";

/** What each wire calls the field. */
const speedFields: Record<string, string> = { "anthropic-messages": "speed", "openai-responses": "service_tier" };

/** The same streams, with the speed that `speed` names at each request; null leaves the request as it is. */
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

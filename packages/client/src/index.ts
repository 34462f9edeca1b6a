// The client of Switchyard: every operation of the API, typed by its method and path.
import type { OperationName } from "./errors.ts";
import { type Answer, createHttp, type Http, type Input, type Inputs, type Settings } from "./http.ts";
import { type ItemOf, listPages, type PagedName } from "./pages.ts";

export {
  type CodesOf,
  ConnectionError,
  type ErrorCode,
  type Failure,
  GaveUpError,
  type OperationName,
  refused,
  SwitchyardError,
} from "./errors.ts";
export type { Operations, Schemas } from "./generated/api.ts";
export type { Answer, Input, Settings } from "./http.ts";
export type { ItemOf, PagedName } from "./pages.ts";

export class Switchyard {
  readonly #http: Http;

  constructor(settings: Settings) {
    this.#http = createHttp(settings);
  }

  /** Calls an operation, and resolves with what it answers under `data`. */
  async request<Name extends OperationName>(operation: Name, ...[input]: Inputs<Name>): Promise<Answer<Name>> {
    const { data } = await this.#http.call(operation, input ?? {});
    // The document says what an operation answers.
    return data as Answer<Name>;
  }

  /** Walks all pages of a list. */
  pages<Name extends PagedName>(operation: Name, input?: Input<Name>): AsyncIterable<ItemOf<Name>> {
    return listPages(this.#http, operation, input ?? ({} as Input<Name>));
  }
}

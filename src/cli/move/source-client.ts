import { StartupError } from '../../errors.ts';
import { type CatalogAnswer, objectOf } from '../catalog-client.ts';
import { stripControls } from '../output.ts';
import type { SendRequest } from '../service-client.ts';
import { patientSend } from './patient-send.ts';

/** Reads from the catalog that an import comes from. */

export type SourceAccess = {
  /** The address below which paths are asked for. */
  readonly server: string;
  readonly token: string | undefined;
  readonly send: SendRequest;
  /** What the other catalog is called, for messages. */
  readonly product: string;
  /** The flag and the variable of its token, for messages. */
  readonly tokenName: string;
};

export type SourceClient = {
  readonly server: string;
  /** Reads the JSON object at a path. Undefined when there is nothing, which only those expect who say so. */
  read(path: string, query?: SourceQuery): Promise<CatalogAnswer>;
  find(path: string, query?: SourceQuery): Promise<CatalogAnswer | undefined>;
};

export type SourceQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** A page that is larger does not fit beside what else an import has in memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const MAX_SHOWN_ANSWER = 200;

const readBounded = async (response: Response, place: string): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_ANSWER_BYTES) {
      throw new StartupError(`${place} answers with more than 64 MiB: ask for less at once by --page-size`);
    }
  }
  return text + decoder.decode();
};

const parseObject = (text: string): CatalogAnswer | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? objectOf(value) : undefined;
  } catch {
    return undefined;
  }
};

/** Thrown when the other catalog refuses a request. */
export class SourceRefusal extends StartupError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Says why an answer is none, and what to do where the address or the token is wrong. */
const refusalError = (
  { product, tokenName }: SourceAccess,
  place: string,
  status: number,
  text: string,
): SourceRefusal => {
  const message = objectOf(parseObject(text))['message'];
  const said = stripControls(typeof message === 'string' ? message : text).slice(0, MAX_SHOWN_ANSWER);
  const hint =
    status === 401
      ? `. The token (${tokenName}) is missing, wrong or has expired`
      : status === 403
        ? `. The owner of the token (${tokenName}) may not read this`
        : status === 404
          ? `. Is --server the address of ${product}?`
          : '';
  return new SourceRefusal(`${place} answered ${status}: ${said}${hint}`, status);
};

export const openSource = (access: SourceAccess): SourceClient => {
  const send = patientSend(access.send);
  const headers = {
    accept: 'application/json',
    ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token}` }),
  };
  const find = async (path: string, query: SourceQuery = {}): Promise<CatalogAnswer | Response> => {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
    const address = `${access.server}/${path}${given.size > 0 ? `?${given}` : ''}`;
    const response = await send(address, { method: 'GET', headers }).catch((cause: unknown) => {
      throw new StartupError(`${access.product} does not answer at ${access.server}: is --server its address?`, {
        cause,
      });
    });
    if (response.status === 404) return response;
    const text = await readBounded(response, address);
    if (!response.ok) throw refusalError(access, address, response.status, text);
    const answer = parseObject(text);
    if (answer === undefined) {
      throw new StartupError(`${address} answers no JSON object. Is --server the address of ${access.product}?`);
    }
    return answer;
  };
  return {
    server: access.server,
    find: async (path, query) => {
      const answer = await find(path, query);
      if (!(answer instanceof Response)) return answer;
      await answer.body?.cancel();
      return undefined;
    },
    read: async (path, query) => {
      const answer = await find(path, query);
      if (!(answer instanceof Response)) return answer;
      throw refusalError(access, `${access.server}/${path}`, answer.status, await readBounded(answer, path));
    },
  };
};

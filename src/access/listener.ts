import { CatalogError } from '../errors.ts';
import type { Principal, PrincipalResolver } from './principal.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** The authenticated caller of a stream, whose access is checked again while the stream is open. */
export type StreamListener = {
  /** When the token expires, in epoch milliseconds; undefined when it never does. */
  readonly expiresAt: number | undefined;
  /** The caller as authenticated now; undefined when authentication would refuse them. */
  currentPrincipal(): Promise<Principal | undefined>;
};

/** Who listens now, or why nobody does any more. */
export type ListenerState = { readonly principal: Principal } | { readonly reason: string };

/** The time for which the token of a listener still counts, in milliseconds. */
export const listeningTimeLeft = ({ expiresAt }: Pick<StreamListener, 'expiresAt'>, clock: () => number): number =>
  (expiresAt ?? Number.POSITIVE_INFINITY) - clock();

const EXPIRED = { reason: 'The token has expired' } as const;
const REVOKED = { reason: 'The token is not accepted any more' } as const;

/** Asks anew whether somebody may go on to listen. */
export const readListener = async (listener: StreamListener, clock: () => number): Promise<ListenerState> => {
  const principal = await listener.currentPrincipal();
  if (listeningTimeLeft(listener, clock) <= 0) return EXPIRED;
  return principal ? { principal } : REVOKED;
};

/** Opens a listener for the credentials of a request. */
export type OpenListener = (
  authorization: string | undefined,
  impersonate: string | undefined,
) => Promise<StreamListener>;

const isRefusal = (failure: unknown): boolean =>
  failure instanceof CatalogError && (failure.code === 'unauthorized' || failure.code === 'forbidden');

/**
 * Creates listeners that authenticate their caller again, by the rules of the first time, on every call of
 * `currentPrincipal`.
 */
export const createListenerOpener =
  (verifier: TokenVerifier, principals: Pick<PrincipalResolver, 'authenticate'>): OpenListener =>
  async (authorization, impersonate) => {
    const { expiresAt } = await verifier.verify(authorization);
    const currentPrincipal = async (): Promise<Principal | undefined> => {
      try {
        return await principals.authenticate(authorization, impersonate);
      } catch (failure) {
        if (isRefusal(failure)) return undefined;
        throw failure;
      }
    };
    return { expiresAt, currentPrincipal };
  };

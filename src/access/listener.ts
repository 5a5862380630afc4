import { CatalogError } from '../errors.ts';
import type { Principal, PrincipalResolver } from './principal.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** Somebody who goes on listening after their request was let in. */
export type StreamListener = {
  /** When their token ends, in epoch milliseconds; undefined when it does not. */
  readonly expiresAt: number | undefined;
  /** Who they are by now; undefined when they would not be let in any more. */
  currentPrincipal(): Promise<Principal | undefined>;
};

/** Makes listeners of callers, by what they showed. */
export type OpenListener = (
  authorization: string | undefined,
  impersonate: string | undefined,
) => Promise<StreamListener>;

const isRefusal = (failure: unknown): boolean =>
  failure instanceof CatalogError && (failure.code === 'unauthorized' || failure.code === 'forbidden');

/** Callers are let in again by the same rules as the first time, each time they are asked for. */
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

import { CatalogError } from '../errors.ts';
import type { Principal, Principals } from './principal.ts';
import type { Verifier } from './verify.ts';

/** Somebody who goes on listening after their request was let in. */
export type Listener = {
  /** When their token ends, in epoch milliseconds; undefined when it does not. */
  readonly expiresAt: number | undefined;
  /** Who they are by now; undefined when they would not be let in any more. */
  now(): Promise<Principal | undefined>;
};

/** Makes listeners of callers, by what they showed. */
export type Listeners = (authorization: string | undefined, impersonate: string | undefined) => Promise<Listener>;

const isRefusal = (failure: unknown): boolean =>
  failure instanceof CatalogError && (failure.code === 'unauthorized' || failure.code === 'forbidden');

/** Callers are let in again by the same rules as the first time, each time they are asked for. */
export const createListeners =
  (verifier: Verifier, principals: Pick<Principals, 'of'>): Listeners =>
  async (authorization, impersonate) => {
    const { expiresAt } = await verifier.verify(authorization);
    const now = async (): Promise<Principal | undefined> => {
      try {
        return await principals.of(authorization, impersonate);
      } catch (failure) {
        if (isRefusal(failure)) return undefined;
        throw failure;
      }
    };
    return { expiresAt, now };
  };

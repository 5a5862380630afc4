import { ServiceRefusal } from './service-client.ts';

/** Does one of many things that the service may refuse by itself. */

export type Refusal = { readonly name: string; readonly message: string };

/** Does one thing; a refusal is kept beside those of other things. Tells whether it was done. */
export const attempt = async (
  { refusals }: { readonly refusals: Refusal[] },
  name: string,
  work: () => Promise<unknown>,
): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch (failure) {
    // Whoever may do nothing, or reaches nothing, need not be told so for each thing.
    if (!(failure instanceof ServiceRefusal) || failure.status === 401 || failure.status >= 500) throw failure;
    refusals.push({ name, message: failure.message });
    return false;
  }
};

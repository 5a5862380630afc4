import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** What one hash costs, by its parameters. */
type HashCost = { readonly N: number; readonly r: number; readonly p: number };

type HashWatch = {
  /** The cost of every hash that has begun since the watch began, in order. */
  readonly costs: readonly HashCost[];
  /** The most hashes that were under way at once. */
  mostAtOnce(): number;
  /** Keeps hashes from being finished until `release`. */
  hold(): void;
  release(): void;
};

type Callback = (failure: Error | null, hash: Buffer) => void;

/**
 * Watches the hashes of passwords in this process while some work is done. How long a login takes is a matter of its
 * hashes, and these can be counted where time cannot be relied on.
 */
export const watchHashes = async <T>(work: (watch: HashWatch) => Promise<T>): Promise<T> => {
  const original = crypto.scrypt;
  const costs: HashCost[] = [];
  let underWay = 0;
  let mostAtOnce = 0;
  let isHeld = false;
  let held: (() => void)[] = [];

  const watched = (
    password: BinaryLike,
    salt: BinaryLike,
    length: number,
    options: ScryptOptions,
    callback: Callback,
  ): void => {
    const { N = 0, r = 0, p = 0 } = options;
    costs.push({ N, r, p });
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    original(password, salt, length, options, (failure, hash) => {
      const finish = () => {
        underWay -= 1;
        callback(failure, hash);
      };
      if (isHeld) held.push(finish);
      else finish();
    });
  };
  const release = () => {
    isHeld = false;
    const finishing = held;
    held = [];
    for (const finish of finishing) finish();
  };
  const install = (scrypt: unknown) => {
    Object.assign(crypto, { scrypt });
    syncBuiltinESMExports();
  };

  install(watched);
  try {
    return await work({
      costs,
      mostAtOnce: () => mostAtOnce,
      hold: () => {
        isHeld = true;
      },
      release,
    });
  } finally {
    release();
    install(original);
  }
};

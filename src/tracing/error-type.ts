/** Codes such as `ECONNREFUSED` and `Neo.TransientError.Transaction.DeadlockDetected`, which name no data. */
const CODE = /^[A-Za-z][\w.]{1,99}$/;

const MAX_CAUSES = 5;

const codeOf = (failure: unknown): string | undefined => {
  const code: unknown = failure instanceof Error ? Reflect.get(failure, 'code') : undefined;
  return typeof code === 'string' && CODE.test(code) ? code : undefined;
};

/**
 * Names the kind of a failure: its status, the code of what lies deepest among its causes, or its class. Its message may
 * hold anything and stays out of spans.
 */
export const errorTypeOf = (failure: unknown): string => {
  if (typeof failure === 'number') return String(failure);
  let found = codeOf(failure);
  let cause = failure instanceof Error ? failure.cause : undefined;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    found = codeOf(cause) ?? found;
    cause = cause.cause;
  }
  return found ?? (failure instanceof Error ? failure.constructor.name : '_OTHER');
};

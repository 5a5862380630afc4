/** An answer of the API that is not the one asked for, or the lack of any answer. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** The status of the answer; 0 when there was none. */
  readonly status: number;
  /** What the service suggests instead. */
  readonly hint: string | undefined;
  readonly requestId: string | undefined;

  constructor(
    status: number,
    message: string,
    help: { hint?: string | undefined; requestId?: string | undefined } = {},
  ) {
    super(message);
    this.status = status;
    this.hint = help.hint;
    this.requestId = help.requestId;
  }
}

/** Reads the message of an error body, whatever else the answer is. */
export const readFailure = async (answer: Response): Promise<ApiFailure> => {
  const text = await answer.text().catch(() => '');
  let message = '';
  try {
    const body = JSON.parse(text) as { readonly message?: unknown };
    if (typeof body.message === 'string') message = body.message;
  } catch {
    // A proxy in between answers pages; their text helps nobody.
  }
  return new ApiFailure(answer.status, message || `The service answered with status ${answer.status}`, {
    hint: answer.headers.get('x-hint') ?? undefined,
    requestId: answer.headers.get('x-request-id') ?? undefined,
  });
};

export const describeFailure = (failure: unknown): string => {
  if (failure instanceof ApiFailure) return failure.hint ? `${failure.message}. ${failure.hint}` : failure.message;
  return failure instanceof Error ? failure.message : String(failure);
};

/** Whether asking again cannot help: what was asked for is not there, or makes no sense. */
export const isFinal = (failure: unknown): boolean =>
  failure instanceof ApiFailure && (failure.status === 400 || failure.status === 404);

/** An answer, or undefined when what it is about is not there (any more). */
export const ifPresent = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((failure: unknown) => {
    if (failure instanceof ApiFailure && failure.status === 404) return undefined;
    throw failure;
  });

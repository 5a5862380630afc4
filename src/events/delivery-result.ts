/** The result of one call or mail to a destination, and what the answers of receivers mean. */

export type DeliveryResult =
  | { readonly isOk: true; readonly statusCode: number }
  | {
      readonly isOk: false;
      readonly statusCode?: number;
      readonly reason: string;
      /** How long the receiver wants to be left alone. */
      readonly retryAfterMs?: number;
      /** Whether another attempt would fail in the same way. */
      readonly isFinal?: boolean;
    };

export type FailedDeliveryResult = DeliveryResult & { readonly isOk: false };

/** The answer of a receiver over HTTP, with the beginning of its body. */
export type ReceiverAnswer = {
  readonly statusCode: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
};

/** A receiver may not hold deliveries back for longer. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Reads a Retry-After header: seconds or a date. */
const readRetryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
};

/** Teams answers 200 although it did not post the message, and says so in the text. */
const TEAMS_FAILURE = /delivery failed|returned HTTP error|"error"\s*:/i;
const TEAMS_STATUS = /HTTP error (\d{3})/i;

const failureInText = ({ statusCode, body }: ReceiverAnswer): DeliveryResult | undefined => {
  if (!TEAMS_FAILURE.test(body)) return undefined;
  const actual = TEAMS_STATUS.exec(body)?.[1];
  const status = actual === undefined ? statusCode : Number(actual);
  return { isOk: false, statusCode: status, reason: `Teams did not post the message (${status})` };
};

/** What an answer means. Only the sort of the destination decides whether its text counts too. */
export const resultOfAnswer = (destinationType: string, answer: ReceiverAnswer, now: number): DeliveryResult => {
  const { statusCode } = answer;
  if (statusCode >= 200 && statusCode < 300) {
    const failure = destinationType === 'MsTeams' ? failureInText(answer) : undefined;
    return failure ?? { isOk: true, statusCode };
  }
  const retryAfterMs = readRetryAfter(answer.retryAfter, now);
  return {
    isOk: false,
    statusCode,
    reason: `The receiver answered ${statusCode}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
};

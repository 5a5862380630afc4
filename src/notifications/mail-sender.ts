import { setTimeout as sleep } from 'node:timers/promises';
import type { Mail, Mailer } from '../events/mailer.ts';
import { createLease, type Lease } from '../graph/lease.ts';
import { createWakeablePause } from '../graph/wakeable-pause.ts';
import { type MailRoundDeps, runMailRound } from './mail-round.ts';

/** Sends the mails of mail subscriptions while this process holds the lease for it. */
export type MailSender = {
  start(): void;
  stop(): Promise<void>;
  /** Signals that notifications were written. */
  wake(): void;
};

export type MailSenderOptions = {
  /** How long a process keeps the right to mail without a renewal. */
  readonly leaseMs: number;
  /** How often it looks for what is due. */
  readonly beatMs: number;
  readonly retryMs: readonly number[];
  readonly limit: number;
  /** How long it waits for the mail server. */
  readonly sendMs: number;
  /** How long `stop` waits for mails that are being sent. */
  readonly stopWithinMs: number;
};

const DEFAULT_SENDER_OPTIONS: MailSenderOptions = Object.freeze({
  leaseMs: 30_000,
  beatMs: 2000,
  retryMs: [60_000, 300_000, 1_800_000, 7_200_000, 86_400_000],
  limit: 100,
  sendMs: 20_000,
  stopWithinMs: 5000,
});

export type MailSenderDeps = Omit<MailRoundDeps, 'send' | 'mayGoOn' | 'retryMs' | 'limit'> & {
  readonly mailer: Mailer;
};

type SenderState = {
  readonly deps: MailSenderDeps;
  readonly options: MailSenderOptions;
  readonly lease: Lease;
  readonly idle: ReturnType<typeof createWakeablePause>;
  aborting: AbortController;
  isStopping: boolean;
  looping: Promise<void> | undefined;
};

const keepLease = ({ lease, options }: SenderState): Promise<boolean> => lease.keep(options.leaseMs / 3);

const runRound = async (state: SenderState): Promise<boolean> => {
  const { deps, options, aborting } = state;
  const { retryMs, limit, sendMs } = options;
  if (!(await keepLease(state))) return false;
  const mayGoOn = async () => !state.isStopping && (await keepLease(state));
  const send = (mail: Mail) => deps.mailer.send(mail, AbortSignal.any([aborting.signal, AbortSignal.timeout(sendMs)]));
  return (await runMailRound({ ...deps, retryMs, limit, mayGoOn, send })) === limit;
};

const runRounds = async (state: SenderState): Promise<void> => {
  while (!state.isStopping) {
    let isMore = false;
    try {
      isMore = await runRound(state);
    } catch (failure) {
      state.deps.log.warn('mail subscriptions could not be served', {}, failure);
    }
    if (!isMore && !state.isStopping) await state.idle.pause(state.options.beatMs);
  }
};

const stopSending = async (state: SenderState): Promise<void> => {
  const { deps, options, idle, lease } = state;
  state.isStopping = true;
  idle.wake();
  await Promise.race([state.looping, sleep(options.stopWithinMs, undefined, { ref: false })]);
  state.aborting.abort();
  await state.looping;
  state.looping = undefined;
  deps.mailer.close();
  await lease.release().catch((failure: unknown) => deps.log.warn('the lease for mail was not released', {}, failure));
};

export const createMailSender = (deps: MailSenderDeps, overrides: Partial<MailSenderOptions> = {}): MailSender => {
  const options = { ...DEFAULT_SENDER_OPTIONS, ...overrides };
  const state: SenderState = {
    deps,
    options,
    lease: createLease(deps.graph, 'mail to people', options.leaseMs),
    idle: createWakeablePause(),
    aborting: new AbortController(),
    isStopping: false,
    looping: undefined,
  };
  return {
    wake: state.idle.wake,
    start: () => {
      if (state.looping) return;
      state.isStopping = false;
      state.aborting = new AbortController();
      state.looping = runRounds(state);
    },
    stop: () => stopSending(state),
  };
};

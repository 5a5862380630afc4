import { useSyncExternalStore } from 'react';

/**
 * Whether somebody is signed in, and with which token. The token of a session lives in memory only, and its refresh token
 * in a cookie that scripts cannot read. A pasted token lasts as long as the tab.
 */

export type SessionState =
  | 'starting'
  | 'signedIn'
  /** The token has ended while somebody was at work. Their page stays, and waits for them to sign in once more. */
  | 'interrupted'
  | 'signedOut'
  | 'unreachable';

const PASTED_TOKEN = 'tributary.token';
const SESSION_PATH = '/v1/users/session';
const ANSWER_WITHIN_MS = 30_000;
/** How the service says that there is no session, or none for this person. Proxies have other refusals. */
const SESSION_IS_OVER: ReadonlySet<number> = new Set([401, 403]);
/**
 * Other tabs hear on this channel that the session of the browser began, and whose it is, or that it ended; and that a pasted
 * token is to be forgotten, of which its claims are told: they name it, and nobody can sign in by them.
 */
const channel = new BroadcastChannel('tributary.session');
type SessionNews = { readonly began: unknown } | { readonly forgotten: string } | 'ended';
const tell = (news: SessionNews): void => channel.postMessage(news);

let state: SessionState = 'starting';
let token: string | undefined;
/** Whom the page shows things to: whoever is signed in, or was until the session was interrupted. */
let person: unknown;
/** Whether the token was pasted: this tab then has no part in the session of the browser. */
let isPasted = false;
/** Whether the service has accepted the token. */
let isAccepted = false;
let renewal: Promise<boolean> | undefined;
/** Counts the sessions that ended here, so that an answer which is late begins none of them again. */
let ended = 0;
const listeners = new Set<() => void>();

const become = (next: SessionState, held: string | undefined): void => {
  state = next;
  token = held;
  isAccepted = false;
  if (held !== undefined) person = subjectOf(held);
  else if (next !== 'interrupted') person = undefined;
  for (const listener of listeners) listener();
};

/** Whether a header of a request can hold it. */
const mayBeToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

export const currentToken = (): string | undefined => token;

/** Ends the session in this tab. What it may still show is of somebody who was signed in. */
export const endSession = (): void => {
  sessionStorage.removeItem(PASTED_TOKEN);
  isPasted = false;
  ended += 1;
  if (state !== 'signedOut') become('signedOut', undefined);
};

/** Notes that the service has accepted the token that is in use. */
export const confirmToken = (used: string | undefined): void => {
  if (used === token) isAccepted = true;
};

/**
 * Waits for whoever is at work to sign in once more, because the service refuses a token that it accepted before; a token that
 * was never accepted ends the session. Answers whether the same person has signed in.
 */
export const interruptSession = async (signal?: AbortSignal): Promise<boolean> => {
  if (state === 'signedIn' && !isAccepted) endSession();
  if (state === 'signedIn') {
    sessionStorage.removeItem(PASTED_TOKEN);
    become('interrupted', undefined);
  }
  const endedBefore = ended;
  while (state === 'interrupted' && !signal?.aborted) await nextChange(signal);
  return state === 'signedIn' && ended === endedBefore;
};

/** What a token says, encoded. */
const claimsOf = (jwt: string): string => jwt.split('.')[1] ?? '';

/** Whom a token is of, without a look at whether it is true: only the service judges that. */
const subjectOf = (jwt: string): unknown => {
  const payload = claimsOf(jwt).replaceAll('-', '+').replaceAll('_', '/');
  try {
    return (JSON.parse(atob(payload)) as { readonly sub?: unknown }).sub;
  } catch {
    // What is no such token is of nobody else.
    return jwt;
  }
};

const isOf = (subject: unknown): boolean => person !== undefined && person === subject;

/** Takes the page from whoever it belongs to, unless that is the subject of a token. */
const makeRoomFor = async (next: string): Promise<void> => {
  if (person === undefined || isOf(subjectOf(next))) return;
  endSession();
  // The page is drawn without anybody once, so that nothing of the former person stays in it.
  await new Promise((resolve) => setTimeout(resolve));
};

/** Takes the token of a session, by whatever way it began, and says so when this tab did not have that session before. */
const takeToken = async (accessToken: string): Promise<void> => {
  await makeRoomFor(accessToken);
  const isNew = state !== 'signedIn';
  become('signedIn', accessToken);
  if (isNew) tell({ began: person });
};

/** Sends a request about the session of the browser. */
const sendToSession = (method: 'POST' | 'PUT' | 'DELETE', more: RequestInit = {}): Promise<Response> =>
  fetch(SESSION_PATH, { method, signal: AbortSignal.timeout(ANSWER_WITHIN_MS), ...more });

/** Whether the service gave a new token. Throws when it says nothing of the session: it may go on. */
const renewOnce = async (): Promise<boolean> => {
  if (isPasted) return false;
  const endedBefore = ended;
  const answer = await sendToSession('PUT');
  if (SESSION_IS_OVER.has(answer.status)) return false;
  if (!answer.ok) throw new Error(`a session could not be renewed: ${answer.status}`);
  const { accessToken } = (await answer.json()) as { readonly accessToken: string };
  if (ended !== endedBefore) return false;
  // Another tab may have signed in somebody else meanwhile: what this one shows is not for them.
  await takeToken(accessToken);
  return true;
};

/** Asks for a new token by the cookie; several callers at the same time ask once. */
export const renewSession = (): Promise<boolean> => {
  renewal ??= renewOnce().finally(() => {
    renewal = undefined;
  });
  return renewal;
};

export const resumeSession = async (): Promise<void> => {
  const pasted = sessionStorage.getItem(PASTED_TOKEN);
  if (pasted !== null && mayBeToken(pasted)) {
    isPasted = true;
    become('signedIn', pasted);
    return;
  }
  sessionStorage.removeItem(PASTED_TOKEN);
  try {
    if (!(await renewSession()) && state !== 'interrupted') endSession();
  } catch {
    if (state !== 'interrupted') become('unreachable', undefined);
  }
};

/** A tab that was duplicated holds the pasted token of the other. */
const forget = (forgotten: string): void => {
  if (isPasted && token !== undefined && claimsOf(token) === forgotten) endSession();
};

/**
 * A tab with a token of its own has no part in the session of the browser, until that token has ended and the same person begins
 * one. A tab that has the session already goes on.
 */
channel.addEventListener('message', async ({ data }: MessageEvent<SessionNews>) => {
  if (data !== 'ended' && 'forgotten' in data) return forget(data.forgotten);
  if (data === 'ended') return isPasted ? undefined : endSession();
  if (isPasted && !(state === 'interrupted' && isOf(data.began))) return;
  isPasted = false;
  // What is being asked for may still be of the former session.
  await renewal?.catch(() => false);
  if (!isOf(data.began)) endSession();
  else if (state === 'signedIn') return;
  await resumeSession();
});

/** Signs in by password. Answers what the service says against it. */
export const signInByPassword = async (email: string, password: string): Promise<Response | undefined> => {
  const body = JSON.stringify({ email, password });
  const answer = await sendToSession('POST', { headers: { 'content-type': 'application/json' }, body });
  if (!answer.ok) return answer;
  const { accessToken } = (await answer.json()) as { readonly accessToken: string };
  sessionStorage.removeItem(PASTED_TOKEN);
  isPasted = false;
  await takeToken(accessToken);
  return undefined;
};

/** Takes a token when the service accepts it. */
export const signInByToken = async (pasted: string): Promise<Response | undefined> => {
  if (!mayBeToken(pasted)) return Response.json({ message: 'No token has such characters' }, { status: 400 });
  const answer = await fetch('/v1/users/loggedInUser', { headers: { authorization: `Bearer ${pasted}` } });
  if (!answer.ok) return answer;
  await makeRoomFor(pasted);
  sessionStorage.setItem(PASTED_TOKEN, pasted);
  isPasted = true;
  become('signedIn', pasted);
  return undefined;
};

/**
 * Ends the session of the browser in all its tabs, or where a token was pasted, in the tabs that hold it. Answers false when the
 * service did not end it: whoever believes to be signed out on a computer of others must not be signed in.
 */
export const signOut = async (): Promise<boolean> => {
  if (isPasted) {
    const forgotten = claimsOf(token ?? '');
    endSession();
    tell({ forgotten });
    return true;
  }
  let told: { readonly signOutUrl?: string } = {};
  try {
    const answer = await sendToSession('DELETE');
    if (answer.ok) told = (await answer.json()) as typeof told;
    else if (answer.status !== 401) return false;
  } catch {
    return false;
  }
  endSession();
  tell('ended');
  if (told.signOutUrl !== undefined) location.assign(told.signOutUrl);
  return true;
};

/** Resolves with the next change of the session, or when the signal is aborted. */
const nextChange = (signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      listeners.delete(end);
      resolve();
    };
    listeners.add(end);
    signal?.addEventListener('abort', end, { once: true });
  });

/** Hears of every change of the session, and answers how not to hear of more. */
export const watchSession = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const sessionState = (): SessionState => state;

export const useSessionState = (): SessionState => useSyncExternalStore(watchSession, sessionState);

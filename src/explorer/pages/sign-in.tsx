import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { readFailure } from '../api/failure.ts';
import { useMe } from '../api/me.ts';
import { Mark } from '../parts/brand.tsx';
import { endSession, signInByPassword, signInByToken } from '../session/session.ts';
import './sign-in.css';

type SignInSettings = { readonly signInUrl?: string };

/** Read without a token, so that a failure to sign in is none of it. */
const readSettings = async (): Promise<SignInSettings> => {
  const answer = await fetch('/v1/system/config/auth');
  if (!answer.ok) throw await readFailure(answer);
  return (await answer.json()) as SignInSettings;
};

/** Turns a sending of a form into an attempt, and keeps what the service said against it. */
const useAttempt = (attempt: (form: FormData) => Promise<Response | undefined>) => {
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setFault('');
    try {
      const refused = await attempt(new FormData(event.currentTarget));
      if (refused) setFault((await readFailure(refused)).message);
    } catch {
      setFault('The service does not answer. Check the connection and try again');
    } finally {
      setBusy(false);
    }
  };
  return { fault, isBusy, onSubmit };
};

const Fault = ({ text }: { readonly text: string }) =>
  text === '' ? null : (
    <p className="notice bad" role="alert">
      {text}
    </p>
  );

const PasswordForm = ({ email }: { readonly email?: string | undefined }) => {
  const { fault, isBusy, onSubmit } = useAttempt((form) =>
    signInByPassword(String(form.get('email')), String(form.get('password'))),
  );
  return (
    <form onSubmit={onSubmit}>
      <label className="field">
        E-mail
        <input name="email" type="email" autoComplete="username" defaultValue={email} required />
      </label>
      <label className="field">
        Password
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <Fault text={fault} />
      <button type="submit" className="button main" disabled={isBusy}>
        Sign in
      </button>
    </form>
  );
};

const TokenForm = () => {
  const { fault, isBusy, onSubmit } = useAttempt((form) => signInByToken(String(form.get('token')).trim()));
  return (
    <details>
      <summary>Use a token</summary>
      <form onSubmit={onSubmit}>
        <p className="quiet">
          <code>npx tributary token</code> tells how to get one. It is kept until this tab is closed.
        </p>
        <label className="field">
          Token
          <input name="token" autoComplete="off" spellCheck={false} required />
        </label>
        <Fault text={fault} />
        <button type="submit" className="button" disabled={isBusy}>
          Use it
        </button>
      </form>
    </details>
  );
};

const useSignInUrl = () => useQuery({ queryKey: ['sign-in settings'], queryFn: readSettings }).data?.signInUrl;

const signInAddress = (returnTo: string): string => `/v1/users/signin?returnTo=${encodeURIComponent(returnTo)}`;

export const SignInPage = () => {
  const hasProvider = useSignInUrl() !== undefined;
  return (
    <main className="entrance">
      <div className="card stack">
        <span className="brand">
          <Mark size={32} /> Tributary
        </span>
        <h1>Sign in</h1>
        {hasProvider && (
          <a className="button main" href={signInAddress(`${location.pathname}${location.search}`)}>
            Single sign-on
          </a>
        )}
        <PasswordForm />
        <TokenForm />
      </div>
    </main>
  );
};

/** Stands over a page whose token has ended: whoever was at work signs in and goes on, and nothing of the page is lost. */
export const SignInAgain = () => {
  const hasProvider = useSignInUrl() !== undefined;
  const { data: me } = useMe();
  return (
    <ModalOverlay className="over-page" isOpen isKeyboardDismissDisabled>
      <Modal className="card">
        <Dialog className="entrance-dialog stack">
          <Heading slot="title" level={2}>
            Sign in to go on
          </Heading>
          <p className="quiet">
            The session of {me?.displayName || me?.name || 'this page'} has ended. The page stays as it is, with what
            you have typed.
          </p>
          {hasProvider && (
            <a className="button main" href={signInAddress('/')} target="_blank" rel="noreferrer">
              Single sign-on, in another tab
            </a>
          )}
          <PasswordForm email={me?.email} />
          <TokenForm />
          <button type="button" className="button" onClick={endSession}>
            Leave the page instead
          </button>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
};

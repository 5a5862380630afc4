import { type FormEvent, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { readFailure } from '../api/failure.ts';
import { useMe } from '../api/me.ts';
import { useSettings } from '../api/settings.ts';
import { Mark } from '../parts/brand.tsx';
import { endSession, signInByPassword, signInByToken } from '../session/session.ts';
import './sign-in.css';

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

const returningTo = (signInUrl: string, page: string): string => `${signInUrl}?returnTo=${encodeURIComponent(page)}`;

/** The forms of the ways to sign in that are on. As long as it is not known which are, those that never need more are there. */
const SignInForms = ({ email }: { readonly email?: string | undefined }) => {
  const signIn = useSettings()?.signIn;
  return (
    <>
      {signIn?.password !== false && <PasswordForm email={email} />}
      {signIn?.token !== false && <TokenForm />}
    </>
  );
};

export const SignInPage = () => {
  const settings = useSettings();
  const provider = settings?.signIn.oidc;
  return (
    <main className="entrance">
      <div className="card stack">
        <span className="brand">
          <Mark size={32} /> Tributary
        </span>
        <h1>Sign in</h1>
        {provider && (
          <a className="button main" href={returningTo(provider.signInUrl, `${location.pathname}${location.search}`)}>
            Single sign-on
          </a>
        )}
        <SignInForms />
        {settings && <p className="quiet">{settings.version}</p>}
      </div>
    </main>
  );
};

/** Stands over a page whose token has ended: whoever was at work signs in and goes on, and nothing of the page is lost. */
export const SignInAgain = () => {
  const provider = useSettings()?.signIn.oidc;
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
          {provider && (
            <a className="button main" href={returningTo(provider.signInUrl, '/')} target="_blank" rel="noreferrer">
              Single sign-on, in another tab
            </a>
          )}
          <SignInForms email={me?.email} />
          <button type="button" className="button" onClick={endSession}>
            Leave the page instead
          </button>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
};

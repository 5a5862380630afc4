import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { readFailure } from '../api/failure.ts';
import { Mark } from '../parts/brand.tsx';
import { signInByPassword, signInByToken } from '../session/session.ts';
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

const PasswordForm = () => {
  const { fault, isBusy, onSubmit } = useAttempt((form) =>
    signInByPassword(String(form.get('email')), String(form.get('password'))),
  );
  return (
    <form onSubmit={onSubmit}>
      <label className="field">
        E-mail
        <input name="email" type="email" autoComplete="username" required />
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

export const SignInPage = () => {
  const { data } = useQuery({ queryKey: ['sign-in settings'], queryFn: readSettings });
  const here = `${location.pathname}${location.search}`;
  return (
    <main className="entrance">
      <div className="card stack">
        <span className="brand">
          <Mark size={32} /> Tributary
        </span>
        <h1>Sign in</h1>
        {data?.signInUrl && (
          <a className="button main" href={`/v1/users/signin?returnTo=${encodeURIComponent(here)}`}>
            Single sign-on
          </a>
        )}
        <PasswordForm />
        <TokenForm />
      </div>
    </main>
  );
};

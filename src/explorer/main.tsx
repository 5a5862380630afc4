import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiFailure } from './api/failure.ts';
import { App } from './app.tsx';
import { watchFiles } from './session/reload.ts';
import { resumeSession, sessionState, watchSession } from './session/session.ts';
import './styles/base.css';
import './styles/frame.css';
import { applyTheme } from './session/theme.ts';
import { allowOnlyNeeded } from './trusted-types.ts';

/** Trying again helps only against what passes by itself. */
const mayPass = (failure: unknown): boolean =>
  failure instanceof ApiFailure && [0, 429, 502, 503, 504].includes(failure.status);

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 300_000,
      refetchOnWindowFocus: false,
      retry: (count, failure) => count < 2 && mayPass(failure),
    },
  },
});

const place = document.getElementById('root');
if (place === null) throw new Error('the page has no place for the explorer');
allowOnlyNeeded(location.href);
applyTheme();
// What one person was shown is not there for whoever signs in next.
watchSession(() => {
  if (sessionState() === 'signedOut') queries.clear();
});
watchFiles();
resumeSession();
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);

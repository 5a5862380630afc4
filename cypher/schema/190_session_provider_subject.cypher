// The sessions that a provider began are found by what it calls the person.
CREATE INDEX Session_provider_subject IF NOT EXISTS FOR (n:Session) ON (n.providerSubject)

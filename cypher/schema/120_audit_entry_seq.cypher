// A place in the audit log is taken once.
CREATE CONSTRAINT AuditEntry_seq IF NOT EXISTS FOR (n:AuditEntry) REQUIRE n.seq IS UNIQUE

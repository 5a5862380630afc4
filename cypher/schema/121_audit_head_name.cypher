// The audit log has one head.
CREATE CONSTRAINT AuditHead_name IF NOT EXISTS FOR (n:AuditHead) REQUIRE n.name IS UNIQUE

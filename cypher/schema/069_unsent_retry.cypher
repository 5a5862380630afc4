// What is to be sent is found by when it may be tried again.
CREATE INDEX Unsent_retryAt IF NOT EXISTS FOR (n:Unsent) ON (n.retryAt)

// Whether the other engine is far behind is asked all the time.
CREATE INDEX Unsent_since IF NOT EXISTS FOR (n:Unsent) ON (n.since)

// Searches ask for the most popular document, which bounds what popularity adds to a score.
CREATE INDEX SearchDoc_popularity IF NOT EXISTS FOR (n:SearchDoc) ON (n.popularity)

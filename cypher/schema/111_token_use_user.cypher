// The tokens of one person are listed without a look at those of others.
CREATE INDEX TokenUse_user IF NOT EXISTS FOR (n:TokenUse) ON (n.userId)

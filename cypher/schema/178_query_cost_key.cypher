// A query has one cost per moment; its costs are read by ranges of this key.
CREATE CONSTRAINT QueryCost_key IF NOT EXISTS FOR (n:QueryCost) REQUIRE n.key IS UNIQUE

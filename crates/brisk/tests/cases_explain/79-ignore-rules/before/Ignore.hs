module Ignore (Rules, parseRules, keepPaths) where

import Data.List (isPrefixOf)

import Glob

-- | The patterns of an ignore file, in order; later ones win.
newtype Rules = Rules [String]

parseRules :: String -> Rules
parseRules = Rules . filter wanted . lines
  where wanted l = not (null l) && not ("#" `isPrefixOf` l)

matches :: FilePath -> String -> Bool
matches path pat = runGlob (compileGlob pat) path

ignored :: Rules -> FilePath -> Bool
ignored (Rules pats) path = foldl decide False pats
  where
    decide _ ('!' : pat) | path `matches` pat = False
    decide _ pat         | path `matches` pat = True
    decide before _                           = before

keepPaths :: Rules -> [FilePath] -> [FilePath]
keepPaths rules = filter (not . ignored rules)

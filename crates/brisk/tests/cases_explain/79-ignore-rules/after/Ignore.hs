module Ignore (Rules, parseRules, keepPaths) where

import Data.List (isPrefixOf)

import Glob

data Rule = Ignoring Glob | Keeping Glob

-- | The patterns of an ignore file, in order; later ones win.
newtype Rules = Rules [Rule]

parseRules :: String -> Rules
parseRules = Rules . map rule . filter wanted . lines
  where
    wanted l = not (null l) && not ("#" `isPrefixOf` l)
    rule ('!' : pat) = Keeping (compileGlob pat)
    rule pat         = Ignoring (compileGlob pat)

ignored :: Rules -> FilePath -> Bool
ignored (Rules rules) path = foldl decide False rules
  where
    decide _ (Keeping g)  | runGlob g path = False
    decide _ (Ignoring g) | runGlob g path = True
    decide before _                        = before

keepPaths :: Rules -> [FilePath] -> [FilePath]
keepPaths rules = filter (not . ignored rules)

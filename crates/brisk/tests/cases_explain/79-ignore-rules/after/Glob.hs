module Glob (Glob, compileGlob, runGlob) where

import qualified Data.Set as S

data Piece
  = Exactly Char
  | OneOf (S.Set Char)
  | NoneOf (S.Set Char)
  | AnyOne
  | Stars Bool          -- whether it crosses directories

newtype Glob = Glob [Piece]

-- | Compiles a pattern with @*@, @**@, @?@, @[a-z]@ and @[!a-z]@.
compileGlob :: String -> Glob
compileGlob = Glob . pieces
  where
    pieces ('*' : '*' : rest)       = Stars True : pieces rest
    pieces ('*' : rest)             = Stars False : pieces rest
    pieces ('?' : rest)             = AnyOne : pieces rest
    pieces ('[' : '!' : rest)       = bracket NoneOf rest
    pieces ('[' : rest)             = bracket OneOf rest
    pieces ('\\' : c : rest)        = Exactly c : pieces rest
    pieces (c : rest)               = Exactly c : pieces rest
    pieces []                       = []
    bracket mk s = let (inside, rest) = break (== ']') s
                   in mk (S.fromList (ranges inside)) : pieces (drop 1 rest)
    ranges (a : '-' : b : cs)       = [a .. b] ++ ranges cs
    ranges (c : cs)                 = c : ranges cs
    ranges []                       = []

runGlob :: Glob -> String -> Bool
runGlob (Glob ps) = go ps
  where
    go [] s                       = null s
    go (Stars deep : rest) s      = any (go rest) (suffixes deep s)
    go (p : rest) (c : cs)        = fits p c && go rest cs
    go _ []                       = False
    suffixes deep s = s : case s of
      c : cs | deep || c /= '/'   -> suffixes deep cs
      _                           -> []
    fits (Exactly x) c = x == c
    fits (OneOf s) c   = S.member c s
    fits (NoneOf s) c  = S.notMember c s
    fits AnyOne c      = c /= '/'
    fits (Stars _) _   = False

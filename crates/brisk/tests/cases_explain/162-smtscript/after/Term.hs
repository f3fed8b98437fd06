{-# LANGUAGE OverloadedStrings #-}
module Term where

import Data.Text (Text)
import qualified Data.Text as T

data Term
  = Var Text
  | Lit Int
  | App Text [Term]

data Command
  = Declare Text Text
  | Assert Term
  | Note Text

showT :: Int -> Text
showT = T.pack . show

renderTerm :: Term -> Text
renderTerm (Var v)    = v
renderTerm (Lit n)
  | n < 0             = T.concat ["(- ", showT (negate n), ")"]
  | otherwise         = showT n
renderTerm (App f xs) = T.concat ["(", T.unwords (f : map renderTerm xs), ")"]

renderCommand :: Command -> Text
renderCommand (Declare v ty) = T.concat ["(declare-const ", v, " ", ty, ")\n"]
renderCommand (Assert t)     = T.concat ["(assert ", renderTerm t, ")\n"]
renderCommand (Note t)       = T.concat ["; ", t, "\n"]

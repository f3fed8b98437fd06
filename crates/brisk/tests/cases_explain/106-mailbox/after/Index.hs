{-# LANGUAGE OverloadedStrings #-}
module Index (Index, emptyIndex, addMessage, senders, subjects) where

import Data.List (foldl')
import qualified Data.Map.Strict as M
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Text (Text)
import qualified Data.Text as T

data Entry = Entry
  { subject :: !Text
  , volume  :: !Int
  }

newtype Index = Index (M.Map Text [Entry])

emptyIndex :: Index
emptyIndex = Index M.empty

-- | The value of a header field.
header :: Text -> Text -> Maybe Text
header name = listToMaybe . mapMaybe field . takeWhile (not . T.null) . T.lines
  where
    field line = T.copy . T.strip <$> T.stripPrefix (name <> ":") line

addMessage :: Index -> Text -> Index
addMessage index@(Index m) msg =
  case (header "From" msg, header "Subject" msg) of
    (Just from, Just subj) ->
      let entry = Entry subj (T.length msg)
      in entry `seq` Index (M.insertWith (++) from [entry] m)
    _ -> index

senders :: Index -> [(Text, Int)]
senders (Index m) = [ (s, foldl' (+) 0 (map volume es)) | (s, es) <- M.toList m ]

subjects :: Text -> Index -> [Text]
subjects s (Index m) = maybe [] (map subject) (M.lookup s m)

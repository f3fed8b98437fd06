{-# LANGUAGE OverloadedStrings #-}
module Request (Request(..), parseRequest) where

import qualified Data.ByteString.Char8 as B

data Request = Request
  { reqPath    :: B.ByteString
  , reqSession :: B.ByteString
  , reqBody    :: B.ByteString
  }

-- | Just enough of HTTP: request line, headers, blank line, body.
parseRequest :: B.ByteString -> Maybe Request
parseRequest raw = do
  let (requestLine, rest) = breakLine raw
  path <- case B.words requestLine of
    [_, p, _] -> Just p
    _         -> Nothing
  (session, body) <- headers Nothing rest
  return Request { reqPath = path, reqSession = session, reqBody = body }

headers :: Maybe B.ByteString -> B.ByteString -> Maybe (B.ByteString, B.ByteString)
headers found input
  | B.null input = Nothing
  | B.null line  = (\s -> (s, rest)) <$> found
  | name == "Cookie", Just tok <- cookie value = headers (Just tok) rest
  | otherwise = headers found rest
  where
    (line, rest)  = breakLine input
    (name, value) = B.drop 2 <$> B.break (== ':') line

cookie :: B.ByteString -> Maybe B.ByteString
cookie v
  | "sid=" `B.isPrefixOf` v = Just (B.takeWhile (/= ';') (B.drop 4 v))
  | otherwise               = Nothing

breakLine :: B.ByteString -> (B.ByteString, B.ByteString)
breakLine = fmap (B.drop 1) . B.break (== '\n')

-- | As much of JSON as test descriptions need.
--
-- Strings are bytes: `wast2json` writes every byte of a name that is not
-- printable ASCII as an escape of its own, so that `\u00e2` is the byte 0xe2.
module Json
  ( Json (..)
  , parseJson
  , field, text, list
  ) where

import Data.Bits (shiftR, (.&.), (.|.))
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Char (isDigit, isHexDigit, isSpace, ord)
import Numeric (readHex)
import Data.Word (Word8)

data Json
  = Object [(B.ByteString, Json)]
  | List [Json]
  | String B.ByteString
  | Number B.ByteString
  | Bool Bool
  | Null
  deriving (Eq, Show)

-- | The value of a key; `Null` if there is none.
field :: String -> Json -> Json
field key (Object members) = maybe Null id (lookup (C.pack key) members)
field _ _ = Null

text :: Json -> Maybe B.ByteString
text (String s) = Just s
text _ = Nothing

list :: Json -> [Json]
list (List xs) = xs
list _ = []

parseJson :: B.ByteString -> Either String Json
parseJson input = do
  (v, rest) <- value (skip input)
  if B.null (skip rest) then Right v else Left (at input rest "something after the value")
  where
    at whole rest why = why ++ " at byte " ++ show (B.length whole - B.length rest)
    wrong rest why = Left (at input rest why)
    skip = C.dropWhile isSpace

    value b = case C.uncons b of
      Just ('{', rest) -> members [] (skip rest)
      Just ('[', rest) -> elements [] (skip rest)
      Just ('"', rest) -> do
        (s, rest') <- string [] rest
        Right (String s, rest')
      Just (c, _)
        | c == '-' || isDigit c ->
            let (n, rest) = C.span (\x -> isDigit x || x `elem` "+-.eE") b in Right (Number n, rest)
      _ | Just rest <- B.stripPrefix (C.pack "true") b -> Right (Bool True, rest)
        | Just rest <- B.stripPrefix (C.pack "false") b -> Right (Bool False, rest)
        | Just rest <- B.stripPrefix (C.pack "null") b -> Right (Null, rest)
        | otherwise -> wrong b "no value"

    members acc b = case C.uncons b of
      Just ('}', rest) | null acc -> Right (Object [], rest)
      Just ('"', rest) -> do
        (key, rest1) <- string [] rest
        case C.uncons (skip rest1) of
          Just (':', rest2) -> do
            (v, rest3) <- value (skip rest2)
            let acc' = (key, v) : acc
            case C.uncons (skip rest3) of
              Just (',', rest4) -> members acc' (skip rest4)
              Just ('}', rest4) -> Right (Object (reverse acc'), rest4)
              _ -> wrong rest3 "`,` or `}` missing"
          _ -> wrong rest1 "`:` missing"
      _ -> wrong b "key missing"

    elements acc b = case C.uncons b of
      Just (']', rest) | null acc -> Right (List [], rest)
      _ -> do
        (v, rest) <- value b
        case C.uncons (skip rest) of
          Just (',', rest') -> elements (v : acc) (skip rest')
          Just (']', rest') -> Right (List (reverse (v : acc)), rest')
          _ -> wrong rest "`,` or `]` missing"

    string acc b =
      let (plain, rest) = C.span (\c -> c /= '"' && c /= '\\') b
      in case C.uncons rest of
        Just ('"', rest') -> Right (B.concat (reverse (plain : acc)), rest')
        Just ('\\', rest') -> do
          (piece, rest'') <- escape rest'
          string (piece : plain : acc) rest''
        _ -> wrong rest "string without end"

    escape b = case C.uncons b of
      Just ('u', rest)
        | C.length hex == 4 && C.all isHexDigit hex, [(code, "")] <- readHex (C.unpack hex) ->
            Right (B.pack (encode code), B.drop 4 rest)
        where hex = B.take 4 rest
      Just (c, rest)
        | Just byte <- lookup c simple -> Right (B.singleton byte, rest)
      _ -> wrong b "unknown escape"

    simple = [(c, fromIntegral (ord r)) | (c, r) <- zip "\"\\/bfnrt" "\"\\/\b\f\n\r\t"] :: [(Char, Word8)]

-- | Up to 0xff a byte, beyond that UTF-8.
encode :: Int -> [Word8]
encode code
  | code <= 0xff = [fromIntegral code]
  | code < 0x800 = [0xc0 .|. top 6, low 0]
  | otherwise = [0xe0 .|. top 12, low 6, low 0]
  where
    top n = fromIntegral (code `shiftR` n)
    low n = 0x80 .|. (fromIntegral (code `shiftR` n) .&. 0x3f)
